"""What a request holds, and how it is given back."""

tables = {}


def release_pages(request, cache):
    if request.first_page is None:
        return
    tables.pop(request.number, None)
    cache.free(request)
