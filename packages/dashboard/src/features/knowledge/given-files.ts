/** What somebody has dropped or chosen. */
export interface GivenFiles<File = globalThis.File> {
  readonly files: readonly File[]
  /** Names of folders, whose files browsers do not hand over. */
  readonly folders: readonly string[]
}

/** What of a dropped thing is looked at: that of `DataTransferItem`. */
export interface DroppedItem<File = globalThis.File> {
  readonly kind: string
  getAsFile(): File | null
  webkitGetAsEntry(): { readonly isDirectory: boolean; readonly name: string } | null
}

/** The files and folders of a drop; browsers hand over folders as if they were files, and text and links beside them. */
export function givenFiles<File>(items: Iterable<DroppedItem<File>>): GivenFiles<File> {
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
