const r = /^(a|b)*[c-d]+?$/.test(x) ? '$1' : "\\n";
