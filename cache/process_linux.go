package cache

import (
	"bytes"
	"fmt"
	"os"
)

// process returns the name and the start time of a running process. The time is
// only good for telling two processes with the same number apart.
func process(pid int) (name, start string, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", "", false
	}
	// 4242 (name) S 1 ... : the name may hold anything, so its end is the last
	// parenthesis; the start time is the 20th field after it.
	from, to := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if from < 0 || to < from {
		return "", "", false
	}
	fields := bytes.Fields(stat[to+1:])
	if len(fields) < 20 {
		return "", "", false
	}
	return string(stat[from+1 : to]), string(fields[19]), true
}
