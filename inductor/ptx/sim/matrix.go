package sim

import "fmt"

// matrix are the products of fragments.
func (c *code) matrix(in *inst, name string, ops []operand) error {
	return fmt.Errorf("unknown instruction")
}
