import { Page } from '../../components/page.tsx'

export function TeamScreen() {
  return <Page title="TeamScreen">…</Page>
}
