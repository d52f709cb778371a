sub begin {
 my $self = shift;
 # note
 return $self;
}
