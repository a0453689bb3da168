#if canImport(Glibc)
  import Glibc

  /// Searches all writable memory of this process for bytes.
  ///
  /// The bytes to search for are stored in pages that are not searched, and so are the bytes that were read.
  struct MemorySearch: ~Copyable {
    private let pattern: UnsafeMutableRawPointer
    private let count: Int
    private let buffer: UnsafeMutableRawPointer
    private static let bufferSize = 1 << 20
    private static let pageSize = 4096

    /// Stores the bytes one by one, so that they are nowhere else.
    init(count: Int, byte: (Int) -> UInt8) {
      self.count = count
      pattern = Self.pages(Self.pageSize)
      buffer = Self.pages(Self.bufferSize)
      for index in 0..<count { pattern.storeBytes(of: byte(index), toByteOffset: index, as: UInt8.self) }
    }

    deinit {
      for (start, size) in [(pattern, Self.pageSize), (buffer, Self.bufferSize)] {
        explicit_bzero(start, size)
        munmap(start, size)
      }
    }

    /// Returns the number of occurrences of the bytes; overlapping parts of two reads count once.
    func occurrences() -> Int {
      let memory = open("/proc/self/mem", O_RDONLY)
      defer { close(memory) }
      var found = 0
      for region in Self.writableRegions() {
        var start = region.lowerBound
        while start < region.upperBound {
          let size = min(Self.bufferSize, region.upperBound - start)
          let isRead = !overlapsOwn(start..<(start + size)) && pread(memory, buffer, size, start) == size
          if isRead { found += occurrences(in: size) }
          // The bytes may span the boundary.
          start += size == Self.bufferSize ? size - count + 1 : size
        }
      }
      explicit_bzero(buffer, Self.bufferSize)
      return found
    }

    private func occurrences(in size: Int) -> Int {
      var found = 0
      var offset = 0
      let first = Int32(pattern.load(as: UInt8.self))
      while size - offset >= count, let hit = memchr(buffer + offset, first, size - offset - count + 1) {
        if memcmp(hit, pattern, count) == 0 { found += 1 }
        offset = hit - buffer + 1
      }
      return found
    }

    private func overlapsOwn(_ range: Range<Int>) -> Bool {
      [(pattern, Self.pageSize), (buffer, Self.bufferSize)].contains { start, size in
        range.overlaps(Int(bitPattern: start)..<(Int(bitPattern: start) + size))
      }
    }

    private static func pages(_ size: Int) -> UnsafeMutableRawPointer {
      guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED
      else { fail("no memory") }
      // There are no guard pages: the kernel may merge adjacent regions into one, so compare address ranges.
      return start
    }

    /// Returns the writable parts of the memory (https://man7.org/linux/man-pages/man5/proc_pid_maps.5.html).
    private static func writableRegions() -> [Range<Int>] {
      guard let file = fopen("/proc/self/maps", "r") else { fail("no maps") }
      defer { fclose(file) }
      var regions: [Range<Int>] = []
      var line = [CChar](repeating: 0, count: 4096)
      while fgets(&line, 4096, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let words = text.split(separator: " ")
        let bounds = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
        guard words[1].hasPrefix("rw"), bounds.count == 2, !text.contains("[v") else { continue }
        regions.append(bounds[0]..<bounds[1])
      }
      return regions
    }
  }
#endif
