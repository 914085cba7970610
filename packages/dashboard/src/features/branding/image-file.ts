import { message } from '../../lib/language.ts'

/** Characters that the address of a logo may have, whether it names a place or is the picture itself. */
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

/** For the dialog that chooses a file. */
export const IMAGE_TYPES = [...TYPES].join(',')

/** Length of a `data:` address of a file: base64 writes three bytes as four characters. */
function dataUrlLength(type: string, sizeBytes: number): number {
  return `data:${type};base64,`.length + Math.ceil(sizeBytes / 3) * 4
}

/** Why a file cannot be a logo, in words for `t`; null when it can. */
export function imageFileProblem({ type, size }: Pick<File, 'type' | 'size'>): string | null {
  if (!TYPES.has(type))
    return message('This is no picture that browsers show: take PNG, JPEG, WebP, AVIF, GIF, SVG or ICO.')
  if (dataUrlLength(type, size) > MAX_CHARACTERS) {
    return message('The picture is larger than 48 kB. Make it smaller, or name an https address of it.')
  }
  return null
}

/** The file as a `data:` address. */
export function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'))
    reader.readAsDataURL(file)
  })
}
