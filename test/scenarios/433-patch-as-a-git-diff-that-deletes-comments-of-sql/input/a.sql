-- a comment
select 1;
-- b
-- c
