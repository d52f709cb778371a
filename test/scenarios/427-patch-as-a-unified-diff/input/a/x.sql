q;
-- note
r;
