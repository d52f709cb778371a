just here
