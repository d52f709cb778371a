const r = /^[ab]$/.test(x) ? '$1' : "\\n";
