b


