package cache

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// A segment is the append-only file of one process: a magic line, then frames.
// A frame is
//
//	length of the value   4 bytes, little endian
//	generation            8 bytes
//	key                  16 bytes
//	CRC-32C of the value  4 bytes
//	CRC-32C of the above  4 bytes
//	value
//
// The head has a checksum of its own, so that a flipped bit in a length is
// told from a frame that is still being written, and a flipped bit in a value
// costs that value only.
const (
	segmentMagic = "ragtest segment 1\n"
	segmentExt   = ".seg"
	frameHead    = 36
	maxValue     = 1 << 30
	scanBuffer   = 256 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// stamp is what decides between two records under one key.
type stamp struct {
	gen  uint64 // one more than the generation its writer knew; no clock is asked
	sum  uint32 // CRC-32C of the value
	size uint32 // length of the value
}

// newer reports whether a replaces b. Two writers that both waited out a lock
// can write one generation twice; the checksum then decides, so that every
// reader takes the same of the two whatever order it met them in.
func (a stamp) newer(b stamp) bool {
	if a.gen != b.gen {
		return a.gen > b.gen
	}
	return a.sum > b.sum
}

// appendFrame appends the frame of one record to b.
func appendFrame(b []byte, k Key, gen uint64, value []byte) []byte {
	start := len(b)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(value)))
	b = binary.LittleEndian.AppendUint64(b, gen)
	b = append(b, k[:]...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(value, castagnoli))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
	return append(b, value...)
}

// parseHead reads the head of a frame; ok is false when its checksum is wrong.
func parseHead(b []byte) (k Key, st stamp, ok bool) {
	if len(b) < frameHead {
		return k, st, false
	}
	if binary.LittleEndian.Uint32(b[32:]) != crc32.Checksum(b[:32], castagnoli) {
		return k, st, false
	}
	copy(k[:], b[12:28])
	st.size = binary.LittleEndian.Uint32(b)
	st.gen = binary.LittleEndian.Uint64(b[4:])
	st.sum = binary.LittleEndian.Uint32(b[28:])
	return k, st, st.size <= maxValue
}

// parseFrame returns the value of a whole frame that must be k's.
func parseFrame(b []byte, k Key) ([]byte, error) {
	key, st, ok := parseHead(b)
	switch {
	case !ok:
		return nil, fmt.Errorf("the head of the record of key %s has a wrong checksum", k)
	case key != k:
		return nil, fmt.Errorf("found the record of key %s where that of key %s was expected", key, k)
	case len(b) != frameHead+int(st.size):
		return nil, fmt.Errorf("the record of key %s has %d bytes, not %d", k, len(b), frameHead+int(st.size))
	}
	value := b[frameHead:]
	if sum := crc32.Checksum(value, castagnoli); sum != st.sum {
		return nil, fmt.Errorf("the record of key %s has checksum %08x, not %08x", k, sum, st.sum)
	}
	return value, nil
}

// fault is a place where a segment does not hold what was written.
type fault struct {
	off  int64
	what string
}

// scanSegment reads the frames of a segment of the given size from off on and
// calls visit for each sound one. It returns where the next frame will start:
// short of size when the last frame is not whole yet. Damage inside a value
// skips that value; damage to a head skips the rest, since the length of the
// frame is not known.
func scanSegment(r io.ReaderAt, off, size int64, visit func(off int64, k Key, st stamp)) (int64, []fault) {
	var faults []fault
	if off >= size {
		return off, nil
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r, off, size-off), int(min(size-off, scanBuffer)))
	if off == 0 {
		magic := make([]byte, len(segmentMagic))
		if n, err := io.ReadFull(in, magic); err != nil {
			if !bytes.HasPrefix([]byte(segmentMagic), magic[:n]) {
				return size, append(faults, fault{0, "it does not begin like a segment"})
			}
			return 0, nil
		}
		if string(magic) != segmentMagic {
			return size, append(faults, fault{0, "it does not begin like a segment"})
		}
		off = int64(len(segmentMagic))
	}
	var head [frameHead]byte
	for {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return off, faults
		}
		k, st, ok := parseHead(head[:])
		if !ok {
			return size, append(faults, fault{off, "the head of a record has a wrong checksum"})
		}
		next := off + frameHead + int64(st.size)
		if next > size {
			return off, faults
		}
		sum, err := checksumNext(in, int(st.size))
		if err != nil {
			return off, faults
		}
		if sum == st.sum {
			visit(off, k, st)
		} else {
			faults = append(faults, fault{off, fmt.Sprintf("the record of key %s has a wrong checksum", k)})
		}
		off = next
	}
}

// checksumNext consumes n bytes of in without holding them all.
func checksumNext(in *bufio.Reader, n int) (sum uint32, err error) {
	for n > 0 {
		b, err := in.Peek(min(n, in.Size()))
		if err != nil {
			return 0, err
		}
		sum = crc32.Update(sum, castagnoli, b)
		n -= len(b)
		if _, err := in.Discard(len(b)); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// segment is an open segment, its own or another process's.
type segment struct {
	name string
	path string
	f    *os.File
	end  int64 // what lies before has been read (or written)
	n    int   // sound records

	own    bool // this process appends to it
	live   bool // it is read on at every look
	dead   bool // its writer is gone
	gone   bool // it is no longer in the folder of segments: it was folded
	folded bool // it was kept from a fold whose base was lost
}

// readFrame returns the whole frame at off.
func (g *segment) readFrame(off int64, k Key, st stamp) ([]byte, error) {
	b := make([]byte, frameHead+int(st.size))
	if _, err := g.f.ReadAt(b, off); err != nil {
		return nil, err
	}
	if _, err := parseFrame(b, k); err != nil {
		return nil, err
	}
	return b, nil
}

// writerGone reports whether no process holds the segment's lock any more. It
// asks for a shared lock, so that two who ask do not take each other for the
// writer.
func (g *segment) writerGone() bool {
	ok, err := tryLock(g.f, false)
	if err != nil || !ok {
		return false
	}
	return unlock(g.f) == nil
}
