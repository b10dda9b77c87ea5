import CFreshetCurl
import FreshetCore
import FreshetHTTP
import FreshetLoop
import HTTPTypes

// Bodies that libcurl reads while it sends them.
extension CurlEasy {
    /// Makes libcurl read the body of `transfer` while it sends it. A small body in memory is copied instead.
    func setUpload(of transfer: CurlTransfer, _ request: Request, _ options: TransferOptions) -> CurlUpload? {
        guard let source = request.uploadSource(options) else { return nil }
        let context = OpaqueReference.borrow(self)
        freshet_easy_set_long(raw, CURLOPT_UPLOAD, 1)
        freshet_easy_set_offset(raw, CURLOPT_INFILESIZE_LARGE, source.length.map { curl_off_t($0) } ?? -1)
        freshet_easy_set_pointer(raw, CURLOPT_READDATA, context)
        freshet_easy_set_pointer(raw, CURLOPT_SEEKDATA, context)
        freshet_easy_set_on_read(raw) { buffer, size, count, context in
            OpaqueReference<CurlEasy>.object(at: context!)
                .send(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
        }
        freshet_easy_set_on_seek(raw) { context, offset, origin in
            OpaqueReference<CurlEasy>.object(at: context!)
                .seek(to: offset, from: origin)
        }
        if let limit = options.expectsContinue {
            freshet_easy_set_long(raw, CURLOPT_EXPECT_100_TIMEOUT_MS, Int(max(1, limit.millisecondsRoundedUp)))
            multi.watchForgotten()
        }
        state.set.insert(.upload)
        return CurlUpload(source, on: multi.loop) { [weak transfer] in transfer?.bodyContinues() }
    }

    private func send(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let transfer, !transfer.isDisposed, let upload = transfer.state.upload else { return freshet_read_abort }
        freshet_tls_moved(freshet_easy_openssl(raw))
        if upload.taken == 0 { upload.sizeBeforeBody = freshet_easy_get_long(raw, CURLINFO_REQUEST_SIZE) }
        switch upload.read(into: buffer) {
        case .bytes(let count):
            transfer.deliver(.sent(bytes: upload.taken, of: upload.source.length))
            return count
        case .later:
            upload.isPaused = true
            return freshet_read_pause
        case .end:
            transfer.apply(.bodySent)
            return 0
        case .failed(let error):
            transfer.apply(.bodyFailed(error))
            return freshet_read_abort
        }
    }

    /// Rewinds the body. libcurl only ever asks for the beginning.
    private func seek(to offset: curl_off_t, from origin: Int32) -> Int32 {
        guard let transfer, let upload = transfer.state.upload, offset == 0, origin == SEEK_SET else {
            return CURL_SEEKFUNC_FAIL
        }
        guard upload.canRewind else {
            transfer.apply(.bodyCannotBeRepeated)
            return CURL_SEEKFUNC_FAIL
        }
        upload.rewind()
        return CURL_SEEKFUNC_OK
    }
}

extension Request {
    /// The source of the body, if libcurl reads the body while it sends it.
    func uploadSource(_ options: TransferOptions) -> RequestBodySource? {
        switch body {
        case .empty:
            return nil
        case .bytes(let bytes):
            guard bytes.count > CurlUpload.copyLimit || !bytes.isEmpty && asksToContinue(options) else { return nil }
            return RequestBodySource(length: bytes.count, isReplayable: true) { _ in .just(bytes) }
        case .source(let source):
            guard let bytes = body.bytes, bytes.count <= CurlUpload.copyLimit else { return source }
            return !bytes.isEmpty && asksToContinue(options) ? source : nil
        }
    }
}
