import { z } from 'zod'

/** Whether a URL is an absolute http(s) URL. If the URL contains `{{variables}}`, only its start is checked. */
function isToolUrl(url: string): boolean {
  if (/^\{\{.+\}\}/.test(url)) return true
  if (!/^https?:\/\/[^/\s]/i.test(url) || /\s/.test(url.replaceAll(/\{\{[^{\n]*?\}\}/g, ''))) return false
  return url.includes('{{') || URL.canParse(url)
}

/** URL of a tool or MCP server. */
export const ToolUrl = z
  .string()
  .max(4096, { abort: true })
  .refine(isToolUrl, { error: 'must start with http://, https:// or a {{variable}}' })
