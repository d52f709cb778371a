Hello
