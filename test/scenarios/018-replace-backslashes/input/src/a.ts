const p = 'C:\\dir\\x';
