import (
	"errors"
	"fmt"
)

// Store keeps rows.
type Store struct {
