import { message } from '../../lib/language.ts'

/** Limit of the API for a URL, `data:` URLs included. */
const MAX_CHARACTERS = 65_536

const TYPES: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/svg+xml',
  'image/x-icon',
  'image/vnd.microsoft.icon',
])

export const IMAGE_TYPES = [...TYPES].join(',')

/** Length of a `data:` URL: base64 writes three bytes as four characters. */
function dataUrlLength(type: string, sizeBytes: number): number {
  return `data:${type};base64,`.length + Math.ceil(sizeBytes / 3) * 4
}

/** Why a file cannot be used, as a message for `t`; null when it can. */
export function imageFileProblem({ type, size }: Pick<File, 'type' | 'size'>): string | null {
  if (!TYPES.has(type)) return message('Unsupported file type. Use PNG, JPEG, WebP, AVIF, GIF, SVG or ICO.')
  if (dataUrlLength(type, size) > MAX_CHARACTERS) {
    return message('The image is larger than 48 kB. Reduce it or use an https URL.')
  }
  return null
}

export function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'))
    reader.readAsDataURL(file)
  })
}
