export default function Page() {
  return <p>a page of your own</p>;
}
