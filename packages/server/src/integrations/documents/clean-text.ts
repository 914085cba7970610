/** Control characters except tab and line feed, and what is there for the layout only. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it takes out
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u200b\u2060\ufeff\ufffe\uffff]/g

// biome-ignore lint/suspicious/noControlCharactersInRegex: old programs break lines with them
const LINE_BREAKS = /\r\n?|[\u2028\u2029\u0085\u000b\f]/g

const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Text that a database keeps and a person can read: line breaks as `\n`, one form of each letter, nothing invisible. */
export function cleanText(text: string): string {
  return text.replace(LINE_BREAKS, '\n').replace(INVISIBLE, '').replace(LONE_SURROGATES, '').normalize('NFC')
}

/** Clean text on one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

/** Clean text whose lines stay, without spaces at their ends and without empty lines around it. */
export function cleanLines(text: string): string {
  return cleanText(text)
    .replace(/(?<![^\S\n])[^\S\n]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd()
}
