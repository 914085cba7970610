import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'

type Content = CallToolResult['content'][number]

/**
 * A tool's result as a model can read it: the structured content as JSON when there is any, else the parts one after another,
 * each beginning a new line. What is no text is described in brackets. Never holds U+0000, which databases refuse.
 */
export function contentText({
  content,
  structuredContent,
}: Pick<CallToolResult, 'content' | 'structuredContent'>): string {
  const text = structuredContent === undefined ? content.map(partText).join('\n') : JSON.stringify(structuredContent)
  return text.replaceAll('\u0000', '\ufffd')
}

function partText(part: Content): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'image':
    case 'audio':
      return `[${part.type}: ${shownType(part.mimeType)}, ${decodedBytes(part.data)} bytes]`
    case 'resource_link':
      return `[resource: ${part.uri}]`
    case 'resource':
      return 'text' in part.resource
        ? part.resource.text
        : `[resource: ${part.resource.uri}, ${shownType(part.resource.mimeType)}, ${decodedBytes(part.resource.blob)} bytes]`
  }
}

/** The type is the server's own word; only its harmless characters are repeated. */
function shownType(mediaType: string | undefined): string {
  return mediaType !== undefined && /^[\w.+-]+\/[\w.+-]{1,80}$/.test(mediaType) ? mediaType : 'unknown type'
}

function decodedBytes(base64: string): number {
  return Buffer.byteLength(base64, 'base64')
}
