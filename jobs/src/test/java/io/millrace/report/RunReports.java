package io.millrace.report;

import io.millrace.batch.BatchSpec;
import io.millrace.device.DeviceUse;
import io.millrace.device.DeviceWatch;
import io.millrace.pipeline.WireColumn;
import io.millrace.sample.DType;
import io.millrace.sink.figures.ColumnBytes;
import io.millrace.sink.figures.DeviceFigures;
import io.millrace.sink.figures.EpochRecord;
import io.millrace.sink.figures.SnapshotCost;
import io.millrace.sink.figures.TaskCounters;
import io.millrace.sink.figures.TrainReport;
import io.millrace.sink.figures.TrainerCounters;
import java.util.List;

/** Reports of trainers for tests. */
public final class RunReports {
    /** The report of a finished run with bad samples and evaluation. */
    public static final TrainReport FINISHED = new TrainReport(
            true,
            new TrainerCounters(
                    2814,
                    180_000,
                    141_120_000,
                    103_200,
                    new TrainerCounters.Times(245_000_000L, 300_000_000L, 2_900_000_000L, 100_000_000L, 3_000_000_000L),
                    0,
                    0),
            new TrainReport.Pace(List.of(1300.0, 1100.0, 1100.0), 3_500_000_000L, 120_000, 2_200_000_000L),
            new TrainReport.Result(0.031, 0.042, 0.987, "abc", 109_386),
            new TrainReport.Epochs(
                    List.of(
                            new EpochRecord(0, 1.3, 60_000, 0.1, 0.31, 0.082, 0.975),
                            new EpochRecord(1, 1.1, 60_000, 0.1, 0.07, 0.051, 0.983),
                            new EpochRecord(2, 1.1, 60_000, 0.045, 0.031, 0.042, 0.987)),
                    0),
            new TaskCounters(2, 6, 150_000_000L, 0, SnapshotCost.NONE),
            new TrainReport.Attempt(40_000_000L, 0, List.of(), new ColumnBytes(100, List.of(78_400L)), null));

    /** The fields that crossed the network in that run: gray images of 28 x 28 pixels. */
    public static final List<WireColumn> SENT = List.of(new WireColumn(
            new BatchSpec.Column("image", DType.UINT8, List.of(28, 28, 1)), DType.FLOAT32, "normalised on the device"));

    /** The use of a GPU. */
    static final DeviceFigures GPU = new DeviceFigures(
            "cuda",
            "cuda:0 (NVIDIA H200)",
            "2.11.0",
            new DeviceUse.Sums(50_000_000_000L, 1_000_000_000L, 990_000_000L, 8_000_000_000L, 2_500_000L),
            1_500_000,
            0L,
            new DeviceWatch.Seen(1L, 2L, 3L, 0.5, 0.97, 600.0, 612.5),
            "channels_last",
            List.of("results may differ from run to run: put_ has no deterministic implementation"));

    private RunReports() {}
}
