a
b
end
