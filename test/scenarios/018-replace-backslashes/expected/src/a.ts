const p = 'D:\\dir\\x';
