import { Page } from '../../components/page.tsx'

export function NumbersScreen() {
  return <Page title="NumbersScreen">…</Page>
}
