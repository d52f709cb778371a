q;
++ remark
r;
