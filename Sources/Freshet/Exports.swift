@_exported import FreshetAuth
@_exported import FreshetCore
@_exported import FreshetCurl
@_exported import FreshetEvents
@_exported import FreshetFoundation
@_exported import FreshetHTTP
@_exported import FreshetLoop
@_exported import HTTPTypes
