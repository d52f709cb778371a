keep
drop
keep too
