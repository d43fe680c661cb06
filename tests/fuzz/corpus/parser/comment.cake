// é only a comment


