package py

import (
	"os"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// plainStat is statTuple from what every system tells of a file.
func plainStat(fi os.FileInfo) val {
	ns := value.Int(fi.ModTime().UnixNano())
	z := value.Int(0)
	return value.Tuple(value.Int(int64(fi.Mode())), z, z, value.Int(1), z, z, value.Int(fi.Size()), ns, ns, ns)
}
