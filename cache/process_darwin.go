package cache

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// process returns the name and the start time of a running process. The time is
// only good for telling two processes with the same number apart.
func process(pid int) (name, start string, ok bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", "", false
	}
	t := info.Proc.P_starttime
	return unix.ByteSliceToString(info.Proc.P_comm[:]), fmt.Sprintf("%d.%d", t.Sec, t.Usec), true
}
