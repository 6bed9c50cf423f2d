// The entry points of libFuzzer. scripts/fuzz builds them with Tests/GNSSTests/Fuzzing.

@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int) -> Int

private nonisolated(unsafe) var promises = DecoderPromises()

/// Checks one input. A broken promise ends the process, so that libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(DecoderPromises.Breach) {
    try promises.check(UnsafeRawBufferPointer(start: start, count: count))
  } catch {
    fatalError("broken promise: \(error)")
  }
  return 0
}

/// Mutates an input. In three of four cases it then corrects the checksums.
@_cdecl("LLVMFuzzerCustomMutator")
public func changeInput(
  _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ most: Int, _ seed: UInt32
) -> Int {
  let changed = mutate(bytes, count, most)
  if seed % 4 != 0 { ChecksumRepair.repair(UnsafeMutableRawBufferPointer(start: bytes, count: changed)) }
  return changed
}
