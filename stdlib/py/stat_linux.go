package py

import (
	"os"
	"syscall"

	"github.com/larkspur-ml/larkspur/lang/value"
)

// statTuple is st_mode, st_ino, st_dev, st_nlink, st_uid, st_gid, st_size and
// the times of access, change and status in nanoseconds.
func statTuple(fi os.FileInfo) val {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return value.Tuple(value.Int(int64(st.Mode)), value.Int(int64(st.Ino)), value.Int(int64(st.Dev)), value.Int(int64(st.Nlink)),
			value.Int(int64(st.Uid)), value.Int(int64(st.Gid)), value.Int(st.Size),
			value.Int(st.Atim.Nano()), value.Int(st.Mtim.Nano()), value.Int(st.Ctim.Nano()))
	}
	return plainStat(fi)
}
