package report

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"testing"
)

// large returns a run of n findings, each as long as the longest example, in
// a hundred files.
func large(t testing.TB, n int) *Run {
	run := exampleRun(t)
	whole := run.Findings[0]
	for i := range 100 {
		run.Sources[fmt.Sprintf("relay/b%02d/conn.py", i)] = []byte(fabricSource)
	}
	run.Findings = make([]Finding, n)
	for i := range run.Findings {
		f := whole
		f.File = fmt.Sprintf("relay/b%02d/conn.py", i%100)
		f.Component = fmt.Sprintf("Manager%02d", i%100)
		f.Fingerprint = fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15)
		run.Findings[i] = f
	}
	return run
}

// A meter counts bytes and samples the heap as they come.
type meter struct {
	written, sampled int
	peak             uint64
	sample           []metrics.Sample
}

func newMeter() *meter {
	return &meter{sample: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}}
}

func (m *meter) heap() uint64 {
	metrics.Read(m.sample)
	return m.sample[0].Value.Uint64()
}

func (m *meter) Write(p []byte) (int, error) {
	m.written += len(p)
	if m.written-m.sampled > 1<<18 {
		m.sampled = m.written
		m.peak = max(m.peak, m.heap())
	}
	return len(p), nil
}

// BenchmarkFormats writes 10,000 findings. Beside the time it shows the size
// of the report and by how much the heap grew at most, garbage included.
func BenchmarkFormats(b *testing.B) {
	run := large(b, 10_000)
	for _, f := range Formats {
		b.Run(f.Name, func(b *testing.B) {
			b.ReportAllocs()
			m := newMeter()
			runtime.GC()
			start := m.heap()
			for b.Loop() {
				m.written, m.sampled = 0, 0
				if err := f.Write(m, run); err != nil {
					b.Fatal(err)
				}
				m.peak = max(m.peak, m.heap())
			}
			b.ReportMetric(float64(m.written)/1e6, "MB-report")
			b.ReportMetric(float64(m.peak-min(start, m.peak))/1e6, "MB-heap")
		})
	}
}
