package tracking

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"gosphere/internal/userfile"
)

// EventsName is the name of the event file in its folder. TensorBoard reads every file whose name
// contains tfevents.
const EventsName = "events.out.tfevents.gosphere"

// events is an event file. Its records are TFRecords, and each holds one message Event of
// tensorboard/compat/proto/event.proto.
type events struct {
	file *os.File
	now  func() time.Time
}

// Numbers of the fields of Event, Summary and Summary.Value that are written.
const (
	eventTime    protowire.Number = 1 // double, seconds since 1970
	eventStep    protowire.Number = 2 // int64
	eventVersion protowire.Number = 3 // string
	eventSummary protowire.Number = 5 // Summary
	summaryValue protowire.Number = 1 // repeated Summary.Value
	valueTag     protowire.Number = 1 // string
	valueNumber  protowire.Number = 2 // float
)

// Events creates the event file of a run in a folder, with one scalar for each value, at the steps
// of the points. An existing file is replaced, and the folder is created if needed. The errors are
// those of the file system.
func Events(folder string) (Writer, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("tracking: %w", err)
	}
	file, err := userfile.Create(filepath.Join(folder, EventsName))
	if err != nil {
		return nil, fmt.Errorf("tracking: %w", err)
	}
	e := events{file, time.Now}
	version := protowire.AppendTag(e.event(0), eventVersion, protowire.BytesType)
	if err := e.record(protowire.AppendString(version, "brain.Event:2")); err != nil {
		file.Close()
		return nil, err
	}
	return e, nil
}

// event returns the beginning of an event at a step.
func (e events) event(step int) []byte {
	message := protowire.AppendTag(nil, eventTime, protowire.Fixed64Type)
	message = protowire.AppendFixed64(message, math.Float64bits(float64(e.now().UnixMicro())/1e6))
	message = protowire.AppendTag(message, eventStep, protowire.VarintType)
	return protowire.AppendVarint(message, uint64(step))
}

// Write appends the values of a point as one event.
func (e events) Write(p Point) error {
	var summary []byte
	for _, v := range p.Values {
		value := protowire.AppendTag(nil, valueTag, protowire.BytesType)
		value = protowire.AppendString(value, v.Name)
		value = protowire.AppendTag(value, valueNumber, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(v.Number)))
		summary = protowire.AppendTag(summary, summaryValue, protowire.BytesType)
		summary = protowire.AppendBytes(summary, value)
	}
	message := protowire.AppendTag(e.event(p.Step), eventSummary, protowire.BytesType)
	return e.record(protowire.AppendBytes(message, summary))
}

// castagnoli is the polynomial of the checksums of TFRecords.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked returns the masked checksum of a part of a TFRecord: rotated by 15 bits, plus a constant.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// record writes a TFRecord: the length in eight bytes, its checksum, the data, and the data's
// checksum, all little-endian.
func (e events) record(data []byte) error {
	record := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	record = binary.LittleEndian.AppendUint32(record, masked(record))
	record = append(record, data...)
	record = binary.LittleEndian.AppendUint32(record, masked(data))
	if _, err := e.file.Write(record); err != nil {
		return fmt.Errorf("tracking: %w", err)
	}
	return nil
}

// Close closes the file.
func (e events) Close() error { return e.file.Close() }
