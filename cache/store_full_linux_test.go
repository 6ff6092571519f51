package cache

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// storeSmallDisk mounts a disk of the given size.
func storeSmallDisk(t *testing.T, size string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount a small disk to fill")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no small disk to fill: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// On a full disk Put fails and says so; what was acknowledged before stays, a
// fold is not begun, and with space again everything goes on.
func TestDiskFull(t *testing.T) {
	disk := storeSmallDisk(t, "1m")
	dir := filepath.Join(disk, "store")
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 200<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	s := storeOpen(t, dir)
	other := storeOpen(t, dir)
	acked := map[int]bool{}
	failed := 0
	for i := 0; failed < 50; i++ {
		err := s.Put(storeKey(i), storeValue(i, 1, 3000))
		var se *StoreError
		switch {
		case err == nil:
			acked[i] = true
		case errors.As(err, &se) && errors.Is(err, syscall.ENOSPC) && strings.Contains(err.Error(), "free space"):
			failed++
			storeWantNone(t, s, storeKey(i))
			storeWantNone(t, other, storeKey(i))
		default:
			t.Fatalf("Put = %v", err)
		}
	}
	if n := len(storeSegments(t, dir)); n > 2 {
		t.Errorf("a full disk is littered with %d segments", n)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for i := 10_000; i < 10_020; i++ {
		storePut(t, s, storeKey(i), storeValue(i, 1, 3000))
		acked[i] = true
	}
	fresh := storeOpen(t, dir)
	for _, r := range []*Store{s, other, fresh} {
		for i := range acked {
			storeWant(t, r, storeKey(i), storeValue(i, 1, 3000))
		}
		storeQuiet(t, r)
	}
	storeClose(t, s)
	if err := fresh.Fold(); err == nil || !strings.Contains(err.Error(), "free space") {
		t.Errorf("Fold = %v, want a refusal", err)
	}
	for i := range acked {
		storeWant(t, fresh, storeKey(i), storeValue(i, 1, 3000))
	}
}

// A disk that is full from the beginning.
func TestDiskFullFromTheStart(t *testing.T) {
	disk := storeSmallDisk(t, "64k")
	dir := filepath.Join(disk, "store")
	s := storeOpen(t, dir)
	_ = os.WriteFile(filepath.Join(disk, "ballast"), make([]byte, 64<<10), 0o600)
	if err := s.Put(storeKey(1), storeValue(1, 1, 3000)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Put = %v", err)
	}
	storeWantNone(t, s, storeKey(1))
	var se *StoreError
	if _, err := OpenStore(filepath.Join(disk, "another")); !errors.As(err, &se) || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("OpenStore = %v", err)
	}
	storeClose(t, s)
}
