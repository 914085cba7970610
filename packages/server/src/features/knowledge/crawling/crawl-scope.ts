import { normalizeUrl } from '../sources/source-identity.ts'

/** Which pages belong to a site that is crawled. */
export interface CrawlSite {
  readonly path: string
  readonly exclude: readonly string[]
}

/** What is no document that could be read: pictures, sound, programs, what pages are made of. */
const NOT_A_PAGE = new Set(
  (
    'jpg jpeg png gif svg webp avif ico bmp tif tiff mp3 mp4 m4a m4v wav ogg webm avi mov mkv css js mjs map json ' +
    'woff woff2 ttf otf eot zip gz tgz bz2 xz 7z rar tar jar exe dmg pkg msi deb rpm apk iso bin xml rss atom ics vcf swf'
  ).split(' '),
)

/** Names of campaigns and clicks: the page is the same without them. */
const TRACKING = /^(?:utm_\w+|gclid|dclid|fbclid|msclkid|mc_[ce]id)$/i

/** Whether the address is that of a list of pages rather than of a page. */
export function isSitemap(path: string): boolean {
  return /\.xml(?:\.gz)?$/i.test(URL.parse(path)?.pathname ?? '')
}

/** The address that a link stands for; `null` when it leads to no page. */
export function pageOfLink(link: string): string | null {
  const url = URL.parse(link)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  const extension = /\.([a-z0-9]{1,8})$/i.exec(url.pathname)?.[1]?.toLowerCase()
  if (extension !== undefined && NOT_A_PAGE.has(extension)) return null
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name)
  const page = normalizeUrl(url.href)
  return page.length <= MAX_URL_CHARACTERS ? page : null
}

/** As long as those that callers may name. */
const MAX_URL_CHARACTERS = 2000

/**
 * Whether a page belongs to the site: the same host and a path below its own, segment by segment; any path for a sitemap. A
 * site that answers with and without `www.` or encryption is one.
 */
export function isWithinSite({ path, exclude }: CrawlSite, page: string): boolean {
  const root = URL.parse(path)
  const url = URL.parse(page)
  if (root === null || url === null || hostOf(root) !== hostOf(url)) return false
  if (!isSitemap(path) && !isBelow(rootPathOf(root), url.pathname)) return false
  return !exclude.some((prefix) => hasPathPrefix(url, prefix))
}

function hostOf({ host }: URL): string {
  return host.replace(/^www\./, '')
}

/** A site that is named by its first page is the folder of that page. */
function rootPathOf({ pathname }: URL): string {
  return pathname.replace(/\/[^/]+\.[a-z]{2,5}$/i, '/')
}

function isBelow(root: string, pathname: string): boolean {
  const folder = root.replace(/(?<!\/)\/+$/, '')
  return pathname === folder || pathname.startsWith(`${folder}/`)
}

function hasPathPrefix(url: URL, prefix: string): boolean {
  if (/^https?:\/\//i.test(prefix)) {
    const other = URL.parse(prefix)
    if (other === null || hostOf(other) !== hostOf(url)) return false
    return `${url.pathname}${url.search}`.startsWith(`${other.pathname}${other.search}`)
  }
  const path = prefix.startsWith('/') ? prefix : `/${prefix}`
  return `${url.pathname}${url.search}`.startsWith(path)
}
