/** Dropped or selected files. */
export interface FileSelection<File = globalThis.File> {
  readonly files: readonly File[]
  /** Names of dropped folders. Their files are not read. */
  readonly folders: readonly string[]
}

/** The subset of `DataTransferItem` that `readDrop` uses. */
export interface DroppedItem<File = globalThis.File> {
  readonly kind: string
  getAsFile(): File | null
  webkitGetAsEntry(): { readonly isDirectory: boolean; readonly name: string } | null
}

/** Reads dropped files and folders. Ignores dropped text and links. */
export function readDrop<File>(items: Iterable<DroppedItem<File>>): FileSelection<File> {
  const files: File[] = []
  const folders: string[] = []
  for (const item of items) {
    if (item.kind !== 'file') continue
    const entry = item.webkitGetAsEntry()
    const file = item.getAsFile()
    if (entry?.isDirectory === true) folders.push(entry.name)
    else if (file !== null) files.push(file)
  }
  return { files, folders }
}

/** Upload limits of the server. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024
export const MAX_REQUEST_BYTES = 100 * 1024 * 1024
export const MAX_REQUEST_FILES = 25

/** Well below the server's limit, so that slow uploads finish within a minute and retries are cheap. */
const TARGET_REQUEST_BYTES = 16 * 1024 * 1024

export interface PlannedFile {
  readonly name: string
  readonly size: number
}

export type RejectReason = 'too-large' | 'empty' | 'folder'

export interface UploadPlan<File extends PlannedFile> {
  /** The files of each request. */
  readonly batches: readonly (readonly File[])[]
  readonly rejected: readonly { readonly name: string; readonly reason: RejectReason }[]
}

/** Groups files into batches, one per request. Rejects files that the server would not accept. */
export function planUploads<File extends PlannedFile>({ files, folders }: FileSelection<File>): UploadPlan<File> {
  const batches: File[][] = []
  const rejected: { name: string; reason: RejectReason }[] = folders.map((name) => ({ name, reason: 'folder' }))
  let sizeBytes = 0
  for (const file of files) {
    if (file.size === 0) rejected.push({ name: file.name, reason: 'empty' })
    else if (file.size > MAX_FILE_BYTES) rejected.push({ name: file.name, reason: 'too-large' })
    else {
      const lastBatch = batches.at(-1)
      const fitsInBatch =
        lastBatch !== undefined && lastBatch.length < MAX_REQUEST_FILES && sizeBytes + file.size <= TARGET_REQUEST_BYTES
      if (fitsInBatch) lastBatch.push(file)
      else batches.push([file])
      sizeBytes = fitsInBatch ? sizeBytes + file.size : file.size
    }
  }
  return { batches, rejected }
}
