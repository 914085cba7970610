import type { ReadDocument } from '@parley/retrieval/read-document'
import { zipSync } from 'fflate'
import mammoth from 'mammoth'
import { decodeText } from '../decode-text.ts'
import type { OfficeParts } from '../office-container.ts'
import { createCorruptFileError } from '../unreadable-content.ts'
import { chooseDocumentTitle } from './document-title.ts'
import { readHtmlPart } from './read-html.ts'
import { scanXml } from './scan-xml.ts'

const STYLE_MAP = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"]

/** Reads a Word document without its images. */
export async function readDocx(parts: OfficeParts): Promise<ReadDocument> {
  const blocks = readHtmlPart(await convertToHtml(parts))
  return { title: chooseDocumentTitle(readCoreTitle(parts), blocks), blocks, pageCount: null, links: [] }
}

async function convertToHtml(parts: OfficeParts): Promise<string> {
  const buffer = Buffer.from(zipSync(Object.fromEntries(parts), { level: 0 }))
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }))
  try {
    return (await mammoth.convertToHtml({ buffer }, { styleMap: STYLE_MAP, convertImage })).value
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw createCorruptFileError('a Word document')
  }
}

function readCoreTitle(parts: OfficeParts): string | null {
  const coreProperties = parts.get('docProps/core.xml')
  if (coreProperties === undefined) return null
  let title = ''
  let isInTitle = false
  scanXml(decodeText(coreProperties), {
    onOpen: (name) => {
      isInTitle = name === 'title'
    },
    onClose: () => {
      isInTitle = false
    },
    onText: (text) => {
      if (isInTitle) title += text
    },
  })
  return title
}
