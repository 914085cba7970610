/** What features may log: an event in words and values that hold no personal data, prompt text or secret. */
export interface Logger {
  info(values: Record<string, unknown>, event: string): void
  warn(values: Record<string, unknown>, event: string): void
  error(values: Record<string, unknown>, event: string): void
}
