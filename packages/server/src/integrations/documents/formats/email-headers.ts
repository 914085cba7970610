const KNOWN = /^(from|to|subject|date|received|mime-version|message-id|return-path|delivered-to|reply-to|sender)$/i
/** At least one of these is in every e-mail; the others are words that a text may begin a line with. */
const EMAIL_ONLY_HEADER = /^(from|received|mime-version|message-id|return-path)$/i

/** Whether a text begins as an e-mail does: with lines of headers, some of which only e-mails have. */
export function isEmailText(sample: string): boolean {
  const names: string[] = []
  for (const line of sample.replace(/^From [^\n]*\n/, '').split(/\r?\n/, 200)) {
    if (line === '') break
    if (/^[ \t]/.test(line)) continue
    const name = /^([!-9;-~]+):/.exec(line)?.[1]
    if (name === undefined) return false
    names.push(name)
  }
  const known = new Set(names.filter((name) => KNOWN.test(name)).map((name) => name.toLowerCase()))
  return known.size >= 2 && names.some((name) => EMAIL_ONLY_HEADER.test(name))
}
