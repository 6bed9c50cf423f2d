// The entry points of libFuzzer, built by scripts/fuzz together with Tests/GNSSTests/Fuzzing.

@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int) -> Int

private nonisolated(unsafe) var promises = DecoderPromises()

/// One input: stops the process at a broken promise, so that libFuzzer keeps it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(DecoderPromises.Breach) {
    try promises.check(UnsafeRawBufferPointer(start: start, count: count))
  } catch {
    fatalError("broken promise: \(error)")
  }
  return 0
}

/// A change to an input. Three of four times its checksums are made right again.
@_cdecl("LLVMFuzzerCustomMutator")
public func changeInput(
  _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32
) -> Int {
  let changed = mutate(bytes, count, most)
  if seed % 4 != 0 { ChecksumRepair.repair(UnsafeMutableRawBufferPointer(start: bytes, count: changed)) }
  return changed
}
