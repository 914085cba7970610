import type { GivenFiles } from './given-files.ts'

/** What the server takes; larger is not even sent. */
export const MOST_FILE_BYTES = 50 * 1024 * 1024
export const MOST_REQUEST_BYTES = 100 * 1024 * 1024
export const MOST_REQUEST_FILES = 25

/**
 * Files that go together are at most this large, well below what a request may have: a request must arrive within a minute, and
 * what breaks off is sent again.
 */
const WANTED_REQUEST_BYTES = 16 * 1024 * 1024

/** What is known of a file before it is sent. */
export interface PlannedFile {
  readonly name: string
  readonly size: number
}

export type Refusal = 'too-large' | 'empty' | 'folder'

export interface UploadPlan<File extends PlannedFile> {
  /** Files that go in one request each. */
  readonly batches: readonly (readonly File[])[]
  /** Files that are not sent. */
  readonly refused: readonly { readonly name: string; readonly why: Refusal }[]
}

/** Divides files among requests, in their order, and sorts out what cannot be sent or the server would refuse. */
export function planUploads<File extends PlannedFile>({ files, folders }: GivenFiles<File>): UploadPlan<File> {
  const batches: File[][] = []
  const refused: { name: string; why: Refusal }[] = folders.map((name) => ({ name, why: 'folder' }))
  let sizeBytes = 0
  for (const file of files) {
    if (file.size === 0) refused.push({ name: file.name, why: 'empty' })
    else if (file.size > MOST_FILE_BYTES) refused.push({ name: file.name, why: 'too-large' })
    else {
      const open = batches.at(-1)
      const fits =
        open !== undefined && open.length < MOST_REQUEST_FILES && sizeBytes + file.size <= WANTED_REQUEST_BYTES
      if (fits) open.push(file)
      else batches.push([file])
      sizeBytes = fits ? sizeBytes + file.size : file.size
    }
  }
  return { batches, refused }
}
