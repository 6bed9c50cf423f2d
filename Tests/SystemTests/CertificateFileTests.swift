import Glibc
import System
import Testing

@Suite final class CertificateFileTests {
  private let directory = "/tmp/outrider-certificate-\(getpid())-\(UInt32.random(in: 0 ... .max))"

  init() { mkdir(directory, 0o700) }

  deinit {
    for name in ["pipe", "empty", "large", "good", "link", "folder", "socket"] {
      unlink("\(directory)/\(name)")
    }
    rmdir("\(directory)/folder")
    rmdir(directory)
  }

  private func write(_ name: String, _ count: Int) -> String {
    let path = "\(directory)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var bytes = [UInt8](repeating: 0x41, count: count)
    #expect(Glibc.write(descriptor, &bytes, count) == count)
    close(descriptor)
    return path
  }

  private func reason(_ path: String) -> String? {
    do throws(CertificateFile.Failure) {
      _ = try CertificateFile.read(path)
      return nil
    } catch {
      #expect(error.path == path)
      return error.reason
    }
  }

  @Test func aRegularFileIsRead() throws {
    let path = write("good", 40_000)
    #expect(try CertificateFile.read(path).count == 40_000)
    symlink(path, "\(directory)/link")
    #expect(try CertificateFile.read("\(directory)/link").count == 40_000)
  }

  @Test func aFileThatWouldBlockOrHasNoEndIsRefusedAtOnce() {
    mkfifo("\(directory)/pipe", 0o600)
    #expect(reason("\(directory)/pipe") == "is a pipe, not a regular file")
    mkdir("\(directory)/folder", 0o700)
    #expect(reason("\(directory)/folder") == "is a directory, not a regular file")
    #expect(reason("/dev/zero") == "is a device, not a regular file")
    #expect(reason("/dev/tty") == "is a device, not a regular file")
    #expect(reason("\(directory)/absent") == "no such file or directory")
    #expect(reason(write("empty", 0)) == "the file is empty")
    #expect(reason(write("large", CertificateFile.limit + 1)) == "is larger than 2 MiB")
  }
}
