//go:build linux || darwin || freebsd

package cache

import "golang.org/x/sys/unix"

// freeSpace returns how many bytes an ordinary user may still write to the disk
// that holds dir.
func freeSpace(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}
