package random

// Order is the order in which PyTorch's iterator walks a destination of this geometry (strides in elements): a permutation
// of its dimensions, outermost first. Samples are given out in that walk, so a transposed destination is filled in memory order.
// Dimensions are compared as the iterator does: by stride, larger outside; where strides are equal, the larger size outside; a
// stride of 0 leaves the order as it is.
func Order(size, stride []int) []int {
	n := len(size)
	perm := make([]int, n) // innermost first while sorting
	for i := range perm {
		perm[i] = n - 1 - i
	}
	// 1: a belongs outside b and comes before it, so swap; -1: order is right; 0: cannot tell.
	compare := func(a, b int) int {
		switch {
		case stride[a] == 0 || stride[b] == 0:
			return 0
		case stride[a] < stride[b]:
			return -1
		case stride[a] > stride[b]:
			return 1
		case size[a] > size[b]:
			return 1
		}
		return 0
	}
	for i := 1; i < n; i++ {
		at := i
		for j := i - 1; j >= 0; j-- {
			c := compare(perm[j], perm[at])
			if c > 0 {
				perm[j], perm[at] = perm[at], perm[j]
				at = j
			} else if c < 0 {
				break
			}
		}
	}
	for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
		perm[i], perm[j] = perm[j], perm[i]
	}
	return perm
}
