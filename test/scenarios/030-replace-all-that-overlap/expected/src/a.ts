bba
