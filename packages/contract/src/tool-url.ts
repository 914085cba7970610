import { z } from 'zod'

/** An absolute http(s) address; with `{{variables}}` only its beginning can be judged. */
function isToolUrl(url: string): boolean {
  if (/^\{\{.+\}\}/.test(url)) return true
  if (!/^https?:\/\/[^/\s]/i.test(url) || /\s/.test(url.replaceAll(/\{\{[^{\n]*?\}\}/g, ''))) return false
  return url.includes('{{') || URL.canParse(url)
}

/** The address of something that an agent calls. */
export const ToolUrl = z
  .string()
  .max(4096, { abort: true })
  .refine(isToolUrl, { error: 'must start with http://, https:// or a {{variable}}' })
