//go:build !linux

package py

import "os"

func statTuple(fi os.FileInfo) val { return plainStat(fi) }
