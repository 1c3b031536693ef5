-- Reports are forgotten once they can no longer come again and count.
CREATE INDEX usage_report_by_age ON usage_report (received_at);
