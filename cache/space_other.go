//go:build !linux && !darwin && !freebsd

package cache

import "errors"

// freeSpace is not known here.
func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }
