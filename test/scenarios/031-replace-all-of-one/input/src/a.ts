only here
