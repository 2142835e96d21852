"""Telling members what concerns them: on the page, by mail, by webhook.

    an event that somebody is to be told of leaves a row of `Untold` in its own transaction     (a trail)
      -> the tick finds campaigns with such rows; a job tells each behind its own head          (`telling`)
      -> in one transaction: the head moves on, notices and deliveries are made, the rows go
      -> the tick finds deliveries that are due; a job sends each, and later again where it failed   (`delivering`)

The head (`NoticeHead`) makes telling happen once: two workers at once, a killed one, rows left anew by a rebuild change
nothing behind it. What is told is never stored: sentences are made from the event when they are read or sent, as their
reader may see it at that moment. A message that was sent while its worker died may be sent twice; none is lost.
"""
